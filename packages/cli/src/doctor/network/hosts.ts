import { isIP } from 'node:net'

/** Whether a host is this machine itself. @param host with or without brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127(\.\d+){3}$/.test(bare)
}

/** Whether a host is certainly not on the Internet: this machine, a private address, or a name without a dot. */
export function isPrivate(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLoopback(bare)) return true
  if (isIP(bare) === 4) return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)/.test(bare)
  if (isIP(bare) === 6) return /^(f[cd]|fe80)/.test(bare)
  return !bare.includes('.') || /\.(local|internal|lan|home\.arpa)$/.test(bare)
}

/** Whether two URLs mean the same place; the names of this machine count as one. */
export function isSameUrl(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)]
  if (a === null || b === null) return false
  const sameHost = a.hostname === b.hostname || (isLoopback(a.hostname) && isLoopback(b.hostname))
  return (
    a.protocol === b.protocol && a.port === b.port && sameHost && a.pathname === b.pathname && a.search === b.search
  )
}
