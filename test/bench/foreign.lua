-- GET with the Origin of a page that is not the property's.
wrk.headers["Origin"] = "https://evil.example.net"
wrk.headers["X-PC-Captcha-Version"] = "1"
