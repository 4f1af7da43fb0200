"""Stores a file as an object. usage: put.py ENDPOINT BUCKET/KEY FILE"""
import sys

from pyarrow import fs

endpoint, key, file = sys.argv[1:]
# One request stores the object: an upload in parts once failed in the gateway, and these tests are not about uploads.
s3 = fs.S3FileSystem(endpoint_override=endpoint, region="us-east-1", allow_delayed_open=True)
with s3.open_output_stream(key) as out, open(file, "rb") as f:
    out.write(f.read())
