import { isIP } from 'node:net'
import { Type } from 'typebox'

/** Maximum delay of a timer of Node.js, ms: 24 days. A longer one fires after 1 ms. */
export const maxTimerMs = 2_147_483_647

/** The variables of a service's log: spread them into its configuration. */
export const logSettings = {
  /** Least severe level that is logged. */
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { default: 'info' }),
  /** `pretty` is for people. */
  LOG_FORMAT: Type.Enum(['json', 'pretty'], { default: 'json' }),
  /** Share of the successful requests that get a line. Failures always get one. */
  LOG_REQUESTS: Type.Number({ minimum: 0, maximum: 1, default: 1 })
}

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
  const slash = text.indexOf('/')
  const address = slash === -1 ? text : text.slice(0, slash)
  const version = isIP(address)
  // A zone such as %eth0 names an interface of this machine. X-Forwarded-For has no zones.
  if (version === 0 || address.includes('%')) return false
  if (slash === -1) return true
  const bits = text.slice(slash + 1)
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

/** @returns the problem with `DOCS_URL`, or null */
export function checkDocsUrl({ DOCS_URL: url }: { DOCS_URL: string }): string | null {
  const isFine = url === '' || (/^https?:[/][/][^?#]+$/.test(url) && URL.canParse(url))
  return isFine ? null : 'DOCS_URL: must be an http:// or https:// URL without ? and #'
}

/** @returns the URL without slashes at its end; null if `DOCS_URL` is not set */
export function readDocsUrl(url: string): string | null {
  return url === '' ? null : url.replace(/[/]+$/, '')
}
