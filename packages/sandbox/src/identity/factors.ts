import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { renderSVG } from 'uqr'
import { inTransaction } from '../open-sqlite.ts'
import { findSignedIn, forwardedFor, requireUser, type SignedIn } from './authenticate.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { readBody, Text } from './request-body.ts'
import { issueSession } from './session.ts'
import { isTotpCode } from './totp.ts'
import {
  addChallenge,
  addFactor,
  findChallenge,
  findFactor,
  hasVerifiedFactor,
  isVerified,
  saveFactors
} from './user-factors.ts'
import type { StoredSession } from './user-store.ts'

const Enrolment = Type.Object({ factor_type: Text, friendly_name: Text, issuer: Text })
const Verification = Type.Object({ challenge_id: Text, code: Text })

type WithSession = SignedIn & { session: StoredSession }

/** `/factors`: second factors of the signed-in user. Only TOTP is supported. */
export function registerFactors(app: FastifyInstance, context: IdentityContext): void {
  app.post('/factors', async (request) => {
    const signedIn = await requireSession(context, request)
    const body = readBody(Enrolment, request.body)
    if (body.factor_type === 'phone') {
      throw new GoTrueError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
    }
    if (body.factor_type === 'webauthn') {
      throw new GoTrueError(422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn')
    }
    if (body.factor_type !== 'totp') throw validationFailed('factor_type needs to be totp, phone, or webauthn')
    const issuer = body.issuer || new URL(context.settings.siteUrl).host
    return inTransaction(context.database, () => enrol(context, signedIn, body.friendly_name ?? '', issuer))
  })

  app.post('/factors/:id/challenge', async (request) => {
    const signedIn = await requireSession(context, request)
    return inTransaction(context.database, () => {
      const { user } = reloadSignedIn(context, signedIn)
      const { id, endsMs } = addChallenge(context, user, findFactor(user, idOf(request)), addressOf(request))
      return { id, type: 'totp', expires_at: Math.floor(endsMs / 1000) }
    })
  })

  app.post('/factors/:id/verify', async (request) => {
    const signedIn = await requireSession(context, request)
    const { challenge_id: challengeId, code } = readBody(Verification, request.body)
    if (!code) throw validationFailed('Code needs to be non-empty')
    const { user, session } = inTransaction(context.database, () =>
      verify(context, signedIn, {
        factorId: idOf(request),
        challengeId: challengeId ?? '',
        code,
        ip: addressOf(request)
      })
    )
    return issueSession(context, user, session)
  })

  app.delete('/factors/:id', async (request) => {
    const signedIn = await requireSession(context, request)
    return inTransaction(context.database, () => {
      const { user, session } = reloadSignedIn(context, signedIn)
      const storedFactor = findFactor(user, idOf(request))
      if (isVerified(storedFactor) && session.aal !== 'aal2') {
        throw new GoTrueError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
      }
      saveFactors(
        context,
        user,
        (user.factors ?? []).filter((one) => one !== storedFactor)
      )
      return { id: storedFactor.factor.id }
    })
  })
}

function enrol(context: IdentityContext, signedIn: WithSession, friendlyName: string, issuer: string) {
  const { user, session } = reloadSignedIn(context, signedIn)
  if (hasVerifiedFactor(user) && session.aal !== 'aal2') {
    throw new GoTrueError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
  }
  const { factor, secret } = addFactor(context, user, friendlyName)
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user.profile.email)}`
  const query = new URLSearchParams({ algorithm: 'SHA1', digits: '6', issuer, period: '30', secret })
  const uri = `otpauth://totp/${label}?${query}`
  return {
    id: factor.id,
    type: 'totp',
    friendly_name: friendlyName,
    totp: { qr_code: renderSVG(uri), secret, uri }
  }
}

interface GivenCode {
  factorId: string
  challengeId: string
  code: string
  ip: string
}

/** Raises the session to `aal2`. As in GoTrue, all sessions of `aal1` end. */
function verify(context: IdentityContext, signedIn: WithSession, attempt: GivenCode): WithSession {
  const { user, session } = reloadSignedIn(context, signedIn)
  const storedFactor = findFactor(user, attempt.factorId)
  const challenge = findChallenge(context, storedFactor, attempt.challengeId, attempt.ip)
  const now = context.now()
  if (!isTotpCode(storedFactor.secret, attempt.code, now)) {
    throw new GoTrueError(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
  }
  challenge.isVerified = true
  storedFactor.factor.status = 'verified'
  storedFactor.factor.updated_at = new Date(now).toISOString()
  saveFactors(context, user, (user.factors ?? []).filter(isVerified))
  session.aal = 'aal2'
  session.amr = [...session.amr, { method: 'totp', timestamp: Math.floor(now / 1000) }]
  context.sessions.update(session)
  context.sessions.removeOfLowerLevel(user.profile.id)
  return { user, session }
}

async function requireSession(context: IdentityContext, request: FastifyRequest): Promise<WithSession> {
  return withSession(await requireUser(context, request))
}

/** The user and session as they are in this transaction. */
const reloadSignedIn = (context: IdentityContext, { user, session }: WithSession): WithSession =>
  withSession(findSignedIn(context, user.profile.id, session.id))

function withSession({ user, session }: SignedIn): WithSession {
  if (session !== null) return { user, session }
  const message = 'A valid session and a registered user are required to enroll a factor'
  throw new GoTrueError(500, 'unexpected_failure', message)
}

const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id.toLowerCase()

const addressOf = (request: FastifyRequest): string =>
  (request.apiRole === 'service_role' ? forwardedFor(request) : null) ?? request.ip
