#!/usr/bin/env bash
# The last step of `make demo`: the quick study, written to out/, and what to try next.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
report=out/lontalk-response-time
./sojourn study lontalk-response-time --quick --out "$report"
cat <<END

The report:   $PWD/$report/report.html
Try next:
  ./sojourn new lontalk -o mine.toml                       a commented template
  ./sojourn run mine.toml --set background.rate='400 /s'   the same network under more load
  ./sojourn sweep mine.toml --over 'background.rate=50:500:50 /s'
  ./sojourn find mine.toml --vary 'background.rate=50:500 /s' --until 'response_time.p99 < 150 ms'
  ./sojourn study lontalk-response-time --out $report      the whole study, as in the bulletin
END
