model = dict(type='Small')
