import { hash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { escapeHtml } from '../mailbox/html.ts'
import { inTransaction } from '../open-sqlite.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { checkEmail } from './passwords.ts'
import { redirectTarget } from './request-body.ts'
import type { StoredUser } from './user-store.ts'
import { confirmEmail, isBanned, newUser, rewriteProviders, saveUser } from './users.ts'
import type { WireIdentity } from './wire.ts'

// The redirect after the form goes to the application, so there is no `form-action`.
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

interface Asked {
  readonly provider: string
  readonly codeChallenge: string
  readonly challengeMethod: 's256' | 'plain'
}

/**
 * `/authorize`: stands for the page of a sign-in provider such as GitHub. The person chooses who they are; then the
 * browser returns to the application with a code. Only the PKCE flow is supported.
 */
export function registerAuthorize(app: FastifyInstance, context: IdentityContext): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body.toString())))
  )

  app.get('/authorize', async (request, reply) => {
    const { provider } = readQuery(request, context)
    const users = context.users
      .page(1, 20, '')
      .users.filter(({ profile }) => profile.identities.some((identity) => identity.provider === provider))
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-store' })
      .send(
        renderAuthorizePage(
          provider,
          users.map(({ profile }) => ({ email: profile.email, name: String(profile.user_metadata.name ?? '') }))
        )
      )
  })

  app.post('/authorize', async (request, reply) => {
    const { provider, codeChallenge, challengeMethod } = readQuery(request, context)
    const form = (request.body ?? {}) as Record<string, string | undefined>
    if (form.deny !== undefined) {
      return sendBack(context, request, reply, {
        error: 'access_denied',
        error_description: 'The user has denied access to the scope requested by the client'
      })
    }
    try {
      const user = inTransaction(context.database, () =>
        signInWithProvider(context, {
          provider,
          email: checkEmail(form.email ?? ''),
          name: form.name ?? '',
          isVerified: form.unverified === undefined
        })
      )
      const code = context.signInFlows.add({
        userId: user.profile.id,
        codeChallenge,
        challengeMethod,
        createdMs: context.now()
      })
      return sendBack(context, request, reply, { code })
    } catch (error) {
      if (!(error instanceof GoTrueError)) throw error
      return sendBack(context, request, reply, {
        error: error.status === 403 ? 'access_denied' : 'invalid_request',
        error_code: error.code,
        error_description: error.message
      })
    }
  })
}

function readQuery(request: FastifyRequest, { settings }: IdentityContext): Asked {
  const query = request.query as Record<string, unknown>
  const { provider, code_challenge: codeChallenge } = query
  if (typeof provider !== 'string' || !settings.providers.includes(provider)) {
    throw validationFailed('Unsupported provider: provider is not enabled')
  }
  const method = String(query.code_challenge_method ?? '').toLowerCase()
  if (typeof codeChallenge !== 'string' || (method !== 's256' && method !== 'plain')) {
    throw validationFailed('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(codeChallenge)) {
    throw validationFailed('code challenge has to be between 43 and 128 characters')
  }
  return { provider, codeChallenge, challengeMethod: method }
}

function sendBack(
  { settings }: IdentityContext,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Record<string, string>
): FastifyReply {
  const target = new URL(redirectTarget(request, settings))
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value)
  return reply.redirect(target.href, 303)
}

/** A person as a sign-in provider describes them. */
interface Person {
  readonly provider: string
  /** In lowercase. */
  readonly email: string
  readonly name: string
  /** Whether the provider has verified that the address belongs to the person. */
  readonly isVerified: boolean
}

/**
 * Finds or creates the user of a person. As in GoTrue (internal/models/linking.go), a verified address links the person
 * to the user who has it. If that user never confirmed it, a stranger may have registered it: their password is
 * removed.
 *
 * @throws GoTrueError if the address is not verified, the user is banned, or nobody may sign up
 */
function signInWithProvider(context: IdentityContext, person: Person): StoredUser {
  const owner = context.users.byEmail(person.email)
  if (!person.isVerified) {
    const message = `Unverified email with ${person.provider}. Verify the email with ${person.provider} in order to sign in`
    throw new GoTrueError(403, 'provider_email_needs_verification', message)
  }
  if (owner === null && context.settings.isSignUpDisabled) {
    throw new GoTrueError(422, 'signup_disabled', 'Signups not allowed for this instance')
  }
  const user = owner ?? createUser(context, person)
  if (isBanned(user.profile, context.now())) throw new GoTrueError(403, 'user_banned', 'User is banned')
  if (user.profile.email_confirmed_at === undefined) {
    user.passwordHash = null
    user.profile.identities = []
    user.profile.user_metadata = {}
    confirmEmail(context, user)
  }
  const others = user.profile.identities.filter(({ provider }) => provider !== person.provider)
  const identity = identityOf(user, person, context.now())
  user.profile.identities = [...others, identity]
  user.profile.user_metadata = { ...user.profile.user_metadata, ...identity.identity_data }
  rewriteProviders(user)
  saveUser(context, user)
  return user
}

function createUser(context: IdentityContext, { email }: Person): StoredUser {
  const user = newUser({ email, passwordHash: null, userMetadata: {} }, context.now())
  user.profile.identities = []
  context.users.insert(user)
  return user
}

function identityOf({ profile }: StoredUser, { provider, email, name }: Person, nowMs: number): WireIdentity {
  const now = new Date(nowMs).toISOString()
  const identity = profile.identities.find((one) => one.provider === provider)
  const sub = hash('sha256', `${provider} ${email}`, 'hex').slice(0, 16)
  return {
    identity_id: identity?.identity_id ?? randomUUID(),
    id: sub,
    user_id: profile.id,
    identity_data: { email, email_verified: true, full_name: name, name, phone_verified: false, sub },
    provider,
    last_sign_in_at: now,
    created_at: identity?.created_at ?? now,
    updated_at: now,
    email
  }
}

const style = `
  :root { color-scheme: light dark; --line: light-dark(#d8d8de, #3a3a42); --quiet: light-dark(#5c5c66, #a2a2ae) }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem }
  h1 { font-size: 1.4rem; margin: 0 0 .5rem }
  p { color: var(--quiet) }
  form { margin: 0 0 .75rem }
  label { display: block; margin: 0 0 .75rem }
  input:not([type=checkbox]), button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem .75rem }
  button { overflow-wrap: anywhere }
  fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 1rem }
`

/**
 * Renders the page that stands for a sign-in provider. Its forms post to the address of the page.
 *
 * @param people who signed in with this provider before
 */
function renderAuthorizePage(provider: string, people: ReadonlyArray<{ email: string; name: string }>): string {
  const name = escapeHtml(provider)
  const choices = people.map(
    (person) => `<form method="post">
      <input type="hidden" name="email" value="${escapeHtml(person.email)}">
      <input type="hidden" name="name" value="${escapeHtml(person.name)}">
      <button>Continue as ${escapeHtml(person.email)}</button>
    </form>`
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign in with ${name} (local stand-in)</title><style>${style}</style></head>
<body><main>
  <h1>Sign in with ${name}</h1>
  <p>This page stands in for ${name} on your machine. Nothing is sent to ${name}.</p>
  ${choices.join('\n')}
  <fieldset>
    <form method="post">
      <label>E-mail address <input name="email" type="email" autocomplete="off" required></label>
      <label>Name <input name="name" autocomplete="off"></label>
      <label><input name="unverified" type="checkbox"> ${name} has not verified this address</label>
      <button>Continue</button>
    </form>
  </fieldset>
  <form method="post"><button name="deny" value="1">Cancel</button></form>
</main></body></html>`
}
