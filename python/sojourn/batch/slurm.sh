#!/bin/bash
#SBATCH --job-name=sojourn
#SBATCH --array=1-$shards
#SBATCH --cpus-per-task=$cpus
#SBATCH --mem=$memory
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=shard-%a.log
#
# sbatch THIS            computes $shards shards into shards/1, shards/2, ...; submit it again to continue
# bash THIS              then joins them in shards/all and writes the results to out/
set -euo pipefail

if [ -n "$${SLURM_ARRAY_TASK_ID:-}" ]; then
  exec $command \
    --jobs $cpus --shard "$$SLURM_ARRAY_TASK_ID/$shards" --out "shards/$$SLURM_ARRAY_TASK_ID"
fi

folders=()
for ((shard = 1; shard <= $shards; shard++)); do
  folders+=("shards/$$shard")
done
sojourn cache merge "$${folders[@]}" shards/all
SOJOURN_CACHE=shards/all exec $command --out out
