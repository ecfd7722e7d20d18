-- GET with the origin of another domain than the property's.
wrk.headers["Origin"] = "https://evil.example.net"
wrk.headers["X-PC-Captcha-Version"] = "1"
