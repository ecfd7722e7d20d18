-- POST each line of the file PAYLOADS once, with the API key KEY. Both servers get the same bodies.
local file = assert(io.open(os.getenv("PAYLOADS"), "r"))
wrk.method = "POST"
wrk.headers["Content-Type"] = "text/plain"
wrk.headers["X-API-Key"] = os.getenv("KEY")

function request()
  local line = file:read("*l")
  if line == nil then
    -- Never send a payload twice: a short window, which the runner rejects, is better than a wrong result.
    wrk.thread:stop()
    line = "exhausted"
  end
  return wrk.format(nil, nil, nil, line)
end
