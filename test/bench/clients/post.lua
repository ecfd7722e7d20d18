-- POST each line of the file PAYLOADS once, from the byte OFFSET, with the API key KEY. All servers get the same bodies.
-- With REPEAT, the lines start over at the end of the file.
local file = assert(io.open(os.getenv("PAYLOADS"), "r"))
local offset = tonumber(os.getenv("OFFSET") or 0)
file:seek("set", offset)
wrk.method = "POST"
wrk.headers["Content-Type"] = "text/plain"
wrk.headers["X-API-Key"] = os.getenv("KEY")

function request()
  local line = file:read("*l")
  if line == nil and os.getenv("REPEAT") then
    file:seek("set", offset)
    line = file:read("*l")
  end
  if line == nil then
    -- Never send a payload twice: a short window, which the runner rejects, is better than a wrong result.
    wrk.thread:stop()
    line = "exhausted"
  end
  return wrk.format(nil, nil, nil, line)
end
