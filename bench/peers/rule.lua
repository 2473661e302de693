-- The rule of the benchmark `decision`, as a script of a game server's.
-- `host.note(name)` and `host.taken(key)` are the host's.

local find, match, sub = string.find, string.match, string.sub

local function reject(code, text)
  return { accept = false, code = code, text = text }
end

function on_connect_request(request)
  local stop = find(request.payload, "\n", 1, true)
  local name = stop and sub(request.payload, 1, stop - 1)
  if not name or #name < 3 or #name > 24 or not match(name, "^[%w_-]+$") then
    return reject("bad-name", "A name has 3 to 24 letters, digits, - or _.")
  end
  local note = host.note(name)
  if note then
    return reject("banned", "You are banned from this server: " .. note)
  end
  if host.taken("server") >= request.max_players then
    return reject("server-full", "The server is full.")
  end
  return {
    accept = true,
    identity = name,
    claims = {
      {
        namespace = "name",
        part = name,
        limit = 1,
        full_code = "name-taken",
        full_text = "That name is in use.",
      },
    },
  }
end
