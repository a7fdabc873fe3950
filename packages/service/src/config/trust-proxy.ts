import { isIP } from 'node:net'

/**
 * Parses `TRUST_PROXY`, the proxies trusted to set `X-Forwarded-For`: `true` (all), `false`, or addresses and networks
 * separated by commas.
 *
 * @returns the form that Fastify takes; null if the text is not valid
 */
export function readTrustProxy(text: string): boolean | string[] | null {
  if (text === 'true' || text === 'false') return text === 'true'
  const networks = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  return networks.length > 0 && networks.every(isNetwork) ? networks : null
}

/** A rule for `loadConfig`. */
export function checkTrustProxy({ TRUST_PROXY }: { TRUST_PROXY: string }): string | null {
  return readTrustProxy(TRUST_PROXY) === null
    ? 'TRUST_PROXY: must be true, false, or IP addresses and networks separated by commas'
    : null
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits] = text.split('/')
  const version = isIP(address)
  if (version === 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
