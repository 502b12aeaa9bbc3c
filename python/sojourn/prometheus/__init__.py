"""What Prometheus and Grafana make of a monitor's numbers: alert rules from its conditions, and a dashboard."""
