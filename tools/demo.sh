#!/usr/bin/env bash
# The last step of `make demo`: a question that is decided in seconds, its report in out/, and what to try next.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scenario=out/building.toml
report=out/building
mkdir -p out
[ -e "$scenario" ] || ./sojourn new building -o "$scenario"
./sojourn find "$scenario" --out "$report"
cat <<END

The report:   $PWD/$report/report.html
Try next:
  ./sojourn new                                                   installations, networks and examples to begin with
  ./sojourn sweep $scenario --over 'station.vav.count=40:80:20'   response times over a key
  ./sojourn study lontalk-response-time --quick --out out/study   a publication of 1992, reproduced
END
