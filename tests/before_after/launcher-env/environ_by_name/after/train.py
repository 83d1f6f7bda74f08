from os import environ as env, getenv


def local_rank():
	# set by torchrun
	return int(env.get('LOCAL_RANK', 0)) + int(getenv('SLURM_LOCALID', getenv('LOCAL_RANK', 0)))


if __name__ == '__main__':
	print('rank', local_rank())
