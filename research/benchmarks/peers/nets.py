# 30 epochs of a net of the package ctgan on SD2011, 18 variables, and one data set; one thread. NET says which.
import ctgan
import pandas
import torch

torch.set_num_threads(1)
original = pandas.read_csv(f"{sys.argv[2]}/golden/sd18_cart/original.csv")
discrete = [name for name in original.columns if not pandas.api.types.is_numeric_dtype(original[name])]
for name in original.columns:
    original[name] = original[name].fillna("missing") if name in discrete else original[name].fillna(-1)


def train():
    net = getattr(ctgan, NET)(epochs=30)
    net.fit(original, discrete)
    return net.sample(len(original))


emit(train, least=1)
