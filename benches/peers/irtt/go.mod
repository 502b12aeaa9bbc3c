// irtt, built for benches/live where Go is installed: Debian's package is older.
module sojourn/benches/peers/irtt

go 1.25.0

tool github.com/heistp/irtt/cmd/irtt

require github.com/heistp/irtt v0.9.2

require (
	github.com/ogier/pflag v0.0.2-0.20160129220114-45c278ab3607 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
