import type { FastifyInstance } from 'fastify'
import type { IdentityContext } from '../context.ts'
import { GoTrueError } from '../errors.ts'

/** Endpoints about the project that need an API key. */
export function registerProject(app: FastifyInstance, { settings }: IdentityContext): void {
  app.get('/health', async () => ({
    version: 'tollgate-sandbox',
    name: 'GoTrue',
    description: 'A local server with the API of Supabase Auth'
  }))

  const enabled = Object.fromEntries(settings.providers.map((provider) => [provider, true]))
  app.get('/settings', async () => ({
    external: { anonymous_users: false, email: settings.isEmailEnabled, phone: false, ...enabled },
    disable_signup: settings.isSignUpDisabled,
    mailer_autoconfirm: settings.isAutoconfirm,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    passkeys_enabled: false
  }))
}

/** Endpoints that need no API key. */
export function registerOpenEndpoints(app: FastifyInstance, { signingKey }: IdentityContext): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=600')
    return { keys: [signingKey.publicJwk] }
  })

  app.route({
    method: ['GET', 'POST'],
    url: '/callback',
    handler: async () => {
      throw new GoTrueError(400, 'bad_oauth_callback', 'OAuth state parameter missing')
    }
  })
}
