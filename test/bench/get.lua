-- GET with the Origin of a page. What is asked is the URL on the command line.
wrk.headers["Origin"] = "https://example.com"
wrk.headers["X-PC-Captcha-Version"] = "1"
