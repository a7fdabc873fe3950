import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { IdentitySettings } from '../settings.ts'

type RedirectSettings = Pick<IdentitySettings, 'siteUrl' | 'redirectAllowList'>

/**
 * The redirect target of a request: the header or query parameter `redirect_to`, else the `Referer`. A target that is not
 * allowed is silently replaced with the site, as in GoTrue (internal/utilities/request.go).
 */
export function redirectTarget(request: FastifyRequest, settings: RedirectSettings): string {
  const { redirect_to: inHeader, referer } = request.headers
  const { redirect_to: inQuery } = request.query as Record<string, unknown>
  for (const wanted of [inHeader || inQuery, referer]) {
    if (typeof wanted === 'string' && isRedirectAllowed(wanted, settings)) return wanted
  }
  return settings.siteUrl
}

/**
 * Whether the server may redirect a browser there: to the site (with any port, if it is on this machine), to a loopback
 * address, or to a URL of the allow list.
 */
export function isRedirectAllowed(target: string, { siteUrl, redirectAllowList }: RedirectSettings): boolean {
  if (!URL.canParse(target)) return false
  const url = new URL(target)
  const site = new URL(siteUrl)
  if (url.protocol === site.protocol && url.hostname === site.hostname) {
    if (url.port === site.port || isLoopback(url.hostname)) return true
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return isLoopback(host)
  return redirectAllowList.some((glob) => globToPattern(glob).test(target.split('#')[0] ?? ''))
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}

/**
 * Converts a glob of the allow list to a regular expression. `*` and `?` stop at `.` and `/`, `**` does not. `[a-z]`, `[!a]`
 * and `{a,b}` are alternatives. `\` escapes a character.
 */
function globToPattern(glob: string): RegExp {
  let source = ''
  let braces = 0
  for (const [token] of glob.matchAll(/\\.|\*\*|\[!?[^\]]+\]|[\s\S]/g)) {
    if (token === '**') source += '.*'
    else if (token === '*') source += '[^./]*'
    else if (token === '?') source += '[^./]'
    else if (token === '{' && ++braces > 0) source += '(?:'
    else if (token === '}' && braces > 0) source += braces-- > 0 ? ')' : ''
    else if (token === ',' && braces > 0) source += '|'
    else if (token.length > 1 && token.startsWith('[')) source += token.replace('[!', '[^').replaceAll('\\', '\\\\')
    else source += token.replace(/^\\(?=.)/, '').replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')
  }
  return new RegExp(`^${source}${')'.repeat(braces)}$`)
}
