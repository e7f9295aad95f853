/**
 * The origin of a realm as its links name it: https, or http where no certificate can be had (this machine, a private
 * network). Undefined for anything else.
 * @param address an origin, or `host[:port]`; without a scheme, local addresses get http
 */
export function originOf(address: string, scheme?: string): string | undefined {
  const whole = scheme === undefined ? address : `${scheme}://${address}`
  if (/^https?:\/\//i.test(whole)) return checked(whole)
  const plain = checked(`http://${whole}`)
  return plain ?? checked(`https://${whole}`)
}

function checked(text: string): string | undefined {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return undefined
  }
  const { protocol, hostname, username, password, pathname, search, hash, origin } = url
  const isBare = username === '' && password === '' && pathname === '/' && search === '' && hash === ''
  if (!isBare || hostname === '') return undefined
  if (protocol === 'https:') return origin
  return protocol === 'http:' && isLocal(hostname) ? origin : undefined
}

/** Hostnames as `URL` writes them: lower case, IPv4 in four decimals, IPv6 in brackets. */
function isLocal(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.local')) return true
  if (host === '[::1]' || /^\[f[cd][0-9a-f]{2}:/.test(host) || /^\[fe[89ab][0-9a-f]:/.test(host)) return true
  const parts = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (parts === null) return false
  const [first, second] = [Number(parts[1]), Number(parts[2])]
  return (
    first === 127 || // this machine
    first === 10 || // RFC 1918
    (first === 172 && second >= 16 && second <= 31) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) || // link-local
    (first === 100 && second >= 64 && second <= 127) // RFC 6598: overlay networks between one's own machines
  )
}
