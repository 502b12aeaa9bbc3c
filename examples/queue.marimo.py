"""A queue in marimo: move its arrivals, and every cell follows.

pip install 'sojourn[notebook]' marimo
marimo run queue.marimo.py
"""

import marimo

app = marimo.App(app_title="How busy may a desk be?")


@app.cell
def _():
    import marimo as mo

    import sojourn

    return mo, sojourn


@app.cell
def _(mo):
    mo.md("""
    # How busy may a desk be?

    One desk serves customers in the order of their arrival. The nearer their rate comes to what it serves, the longer
    they wait. Move a key: the page simulates it, and this process hears of the settings.
    """)


@app.cell
def _(mo, sojourn):
    desk = sojourn.Scenario(
        kind="queue",
        stations=[{"name": "desk", "service": {"kind": "exponential", "mean": "10 ms"}}],
        flows=[
            {"name": "customers", "path": ["desk"], "probe": True, "arrivals": {"kind": "poisson", "rate": "80 /s"}}
        ],
        expect={"response_time.mean": "< 60 ms"},
        run={"duration": "20 min", "warm_up": "10 s"},
    )
    panel = mo.ui.anywidget(desk.widget(["flow.customers.arrivals.rate"]))
    panel
    return (panel,)


@app.cell
def _(mo, panel):
    moved = ", ".join(panel.value["settings"]) or "nothing"
    found = panel.value["point"].get("metrics", {}).get("response_time", {})
    p99 = f"{1000 * found['p99']:.1f} ms" if found.get("p99") else "not known yet"
    mo.md(f"""
    Moved: `{moved}`. Of the customers 99 % are served within **{p99}**.
    """)


@app.cell
def _(mo):
    sweep = mo.ui.run_button(label="Sweep the rate with what was moved")
    sweep
    return (sweep,)


@app.cell
def _(mo, panel, sweep):
    mo.stop(not sweep.value)
    swept = panel.widget.scenario.sweep({"flow.customers.arrivals.rate": "60:90:10 /s"}, replications=3, store=False)
    mo.Html(swept._repr_html_())


if __name__ == "__main__":
    app.run()
