#!/bin/bash
set -e
ARGS=(--nproc_per_node=2 --master_port="$PORT")
cat > job.sbatch <<EOF2
#!/bin/bash
#SBATCH --nodes=1
exec python -u -m torch.distributed.run ${ARGS[@]} main.py --epochs \${EPOCHS:-1}
EOF2
bash job.sbatch  # sbatch on the cluster
