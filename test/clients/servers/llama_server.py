"""llama.cpp's own server, in this process. Prints its address, and ends with standard input."""
import sys

import xllamacpp

_, path, purpose = sys.argv
params = xllamacpp.CommonParams()
params.model.path = path
params.model_alias = {"tiny-embed" if purpose == "embeddings" else "tiny"}
params.embedding = purpose == "embeddings"
if params.embedding:
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
params.use_jinja = True
params.n_ctx = 2048
params.n_parallel = 2
params.port = 0
params.api_keys = ["sk-llama"]
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(f"listening on {server.listening_address}", flush=True)
sys.stdin.read()
