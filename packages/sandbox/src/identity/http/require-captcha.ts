import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { IdentityContext } from '../context.ts'
import { GoTrueError } from '../errors.ts'
import { requireAdmin } from './authenticate.ts'
import { readBody, Text } from './request-body.ts'

const Security = Type.Object({
  gotrue_meta_security: Type.Optional(Type.Union([Type.Object({ captcha_token: Text }), Type.Null()]))
})

/** As in GoTrue (internal/api/api.go). */
const paths = new Set(['/auth/v1/signup', '/auth/v1/recover', '/auth/v1/resend', '/auth/v1/otp', '/auth/v1/token'])
const exemptGrants = new Set<unknown>(['pkce', 'refresh_token', 'id_token'])

/**
 * Refuses forms without a solved CAPTCHA, if the settings demand one. A right token begins with the secret, and counts once. As in
 * GoTrue (internal/api/middleware.go, `verifyCaptcha`), callers with the secret key need none.
 */
export function requireCaptcha(app: FastifyInstance, context: IdentityContext): void {
  const { captchaSecret } = context.settings
  if (captchaSecret === null) return
  const used = new Set<string>()
  app.addHook('preHandler', async (request) => {
    if (!paths.has(request.routeOptions.url ?? '')) return
    if (exemptGrants.has((request.query as Record<string, unknown>).grant_type)) return
    const isAdmin = await requireAdmin(context, request).then(
      () => true,
      () => false
    )
    if (isAdmin) return
    const token = readBody(Security, request.body).gotrue_meta_security?.captcha_token ?? ''
    // GoTrue cannot ask the CAPTCHA's provider.
    if (token === '') throw new GoTrueError(500, 'unexpected_failure', 'captcha verification process failed')
    if (!token.startsWith(captchaSecret) || used.has(token)) {
      const why = used.has(token) ? 'timeout-or-duplicate' : 'invalid-input-response'
      throw new GoTrueError(400, 'captcha_failed', `captcha protection: request disallowed (${why})`)
    }
    used.add(token)
  })
}
