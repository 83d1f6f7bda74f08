from os import environ as env, getenv


def local_rank():
	# set by torchrun
	return int(env['LOCAL_RANK']) + int(getenv('SLURM_LOCALID'))


if __name__ == '__main__':
	print('rank', local_rank())
