import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import Type from 'typebox'
import { Value } from 'typebox/value'
import type { IdentitySettings } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'

// As in Go: an absent or null field is the zero value, and unknown fields are ignored.

export const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
export const Flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
export const JsonObject = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]))

/** The fields of every endpoint that can start a PKCE flow. */
export const codeChallenge = { code_challenge: Text, code_challenge_method: Text }

/** @throws GoTrueError 400 `bad_json` if the body does not match the schema */
export function readBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (Value.Check(schema, body)) return body
  const [problem] = Value.Errors(schema, body)
  const place = problem === undefined ? '' : ` (${problem.instancePath || 'body'}: ${problem.message})`
  throw new GoTrueError(400, 'bad_json', `Could not parse request body as JSON${place}`)
}

/** @throws GoTrueError 400 `validation_failed` for a request that starts a PKCE flow, which is not supported */
export function refusePkce(body: { code_challenge?: string | null }): void {
  if (body.code_challenge) {
    throw validationFailed(
      'The embedded identity server does not support the PKCE flow: use flowType "implicit" and token_hash links'
    )
  }
}

type RedirectSettings = Pick<IdentitySettings, 'siteUrl' | 'redirectAllowList'>

/**
 * The redirect target of a request: the header or query parameter `redirect_to`, else the `Referer`. A target that is
 * not allowed is silently replaced with the site, as in GoTrue (internal/utilities/request.go).
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
 * Converts a glob of the allow list to a regular expression. `*` and `?` stop at `.` and `/`, `**` does not. `[a-z]`,
 * `[!a]` and `{a,b}` are alternatives. `\` escapes a character.
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
