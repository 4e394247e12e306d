"""The gateway behind a proxy that speaks HTTP/2, as browsers reach it where operators run it: TLS ends there (Debian's nginx)."""
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONF = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    upstream gateway {{ server 127.0.0.1:{gateway}; keepalive 16; }}
    server {{
        listen 127.0.0.1:{port} ssl http2; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
        location / {{ proxy_pass http://gateway; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1; }}
    }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def http2(gateway):
    """Its address, for the time of the block."""
    folder, port = tempfile.mkdtemp(prefix="carillon-proxy-"), free_port()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"], capture_output=True, timeout=60, check=True)
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(CONF.format(folder=folder, port=port, gateway=gateway))
    proxy = subprocess.Popen([NGINX, "-c", f"{folder}/nginx.conf", "-p", folder])
    try:
        for _ in range(200):
            if os.path.exists(f"{folder}/pid"):
                break
            assert proxy.poll() is None, f"nginx ended with {proxy.returncode}"
            time.sleep(0.05)
        yield f"https://127.0.0.1:{port}"
    finally:
        proxy.terminate()
        proxy.wait(20)
        shutil.rmtree(folder, ignore_errors=True)
