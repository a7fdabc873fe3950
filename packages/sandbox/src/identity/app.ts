import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify'
import Fastify from 'fastify'
import { inTransaction } from '../open-sqlite.ts'
import { refuseForeignHosts } from '../own-host.ts'
import { registerAdminLinks } from './admin-links.ts'
import { findUser, registerAdminUsers } from './admin-users.ts'
import { type ApiRole, forwardedFor, requireAdmin, requireApiKey, requireCaptcha } from './authenticate.ts'
import { registerAuthorize } from './authorize.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, sendError } from './errors.ts'
import { registerFactors } from './factors.ts'
import { registerMailRequests, registerSignUp } from './sign-up.ts'
import { registerToken } from './token.ts'
import { registerUser } from './user.ts'
import { findFactor, saveFactors } from './user-factors.ts'
import { registerVerify, registerVerifyLink } from './verify.ts'

const maxBodyBytes = 1_048_576

/**
 * Builds the HTTP server: GoTrue under `/auth/v1`, behind the API key checks of a Supabase project's gateway.
 *
 * @param logger gets failures and requests to unsupported endpoints; false: no log
 */
export function buildIdentityApp(context: IdentityContext, logger: FastifyServerOptions['logger']): FastifyInstance {
  // Without HEAD: a mail scanner's HEAD must not consume a link.
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    logger,
    frameworkErrors: sendError
  })
  refuseForeignHosts(app)
  app.decorateRequest('apiRole', null)
  app.setErrorHandler(sendError)
  parseAnyBodyAsJson(app)

  let lastForwardedFor: string | null = null
  /** The client address that the last request with the secret key forwarded. For tests of servers. */
  app.get('/debug/forwarded-for', async () => ({ forwarded_for: lastForwardedFor }))

  app.register(
    async (open) => {
      registerOpenEndpoints(open, context)
      registerVerifyLink(open, context)
      registerAuthorize(open, context)
    },
    { prefix: '/auth/v1' }
  )
  app.register(
    async (keyed) => {
      keyed.addHook('onRequest', async (request) => {
        request.apiRole = requireApiKey(request, context.settings)
        if (request.apiRole === 'service_role') lastForwardedFor = forwardedFor(request) ?? lastForwardedFor
      })
      requireCaptcha(keyed, context)
      registerProject(keyed, context)
      registerSignUp(keyed, context)
      registerVerify(keyed, context)
      registerToken(keyed, context)
      registerMailRequests(keyed, context)
      registerUser(keyed, context)
      registerFactors(keyed, context)
      await keyed.register(async (admin) => {
        admin.addHook('onRequest', (request) => requireAdmin(context, request))
        registerAdminUsers(admin, context)
        registerAdminLinks(admin, context)
        registerAdminFactors(admin, context)
      })
    },
    { prefix: '/auth/v1' }
  )
  app.setNotFoundHandler((request, reply) => {
    const what = `${request.method} ${request.url.split('?')[0]} is not supported by the embedded identity server`
    request.log.warn(what)
    return sendError(new GoTrueError(404, 'validation_failed', what), request, reply)
  })
  return app
}

/** `/admin/users/:id/factors`: an operator sees and removes second factors, for instance after a device was lost. */
function registerAdminFactors(app: FastifyInstance, context: IdentityContext): void {
  app.get('/admin/users/:id/factors', async (request) =>
    (findUser(context, request).factors ?? []).map(({ factor }) => factor)
  )

  app.delete('/admin/users/:id/factors/:factorId', async (request) =>
    inTransaction(context.database, () => {
      const user = findUser(context, request)
      const storedFactor = findFactor(user, factorIdOf(request))
      saveFactors(
        context,
        user,
        (user.factors ?? []).filter((one) => one !== storedFactor)
      )
      return storedFactor.factor
    })
  )
}

const factorIdOf = (request: FastifyRequest): string => (request.params as { factorId: string }).factorId.toLowerCase()

declare module 'fastify' {
  interface FastifyRequest {
    /** The role of the API key; null if the path needs no key. */
    apiRole: ApiRole | null
  }
}

/** Reads every body as JSON, whatever its content type, as GoTrue does. An empty body is undefined. */
function parseAnyBodyAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined)
    try {
      done(null, JSON.parse(body.toString()))
    } catch {
      done(new GoTrueError(400, 'bad_json', 'Could not parse request body as JSON'))
    }
  })
}

/** Endpoints about the project that need an API key. */
function registerProject(app: FastifyInstance, { settings }: IdentityContext): void {
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
function registerOpenEndpoints(app: FastifyInstance, { signingKey }: IdentityContext): void {
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
