import { hash } from 'node:crypto'
import Type from 'typebox'
import { inTransaction } from '../../open-sqlite.ts'
import { isBanned } from '../accounts/ban.ts'
import { issueSession, startSession } from '../accounts/session.ts'
import type { IdentityContext } from '../context.ts'
import { GoTrueError, validationFailed } from '../errors.ts'
import { readBody, Text } from '../http/request-body.ts'
import type { SignInFlow } from '../store/sign-in-flows.ts'
import type { WireSession } from '../wire.ts'

const PkceGrant = Type.Object({ auth_code: Text, code_verifier: Text })
/** GoTrue's default. */
const flowLifetimeMs = 300_000

/** `POST /token?grant_type=pkce`: exchanges the code of a sign-in provider for a session, once. */
export async function grantByCode(context: IdentityContext, requestBody: unknown): Promise<WireSession> {
  const { auth_code: code, code_verifier: verifier } = readBody(PkceGrant, requestBody)
  if (!code || !verifier) {
    throw validationFailed('invalid request: both auth code and code verifier should be non-empty')
  }
  const { user, session } = inTransaction(context.database, () => {
    const flow = context.signInFlows.byCode(code)
    const user = flow === null ? null : context.users.byId(flow.userId)
    if (flow === null || user === null) {
      throw new GoTrueError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
    }
    if (context.now() > flow.createdMs + flowLifetimeMs) {
      throw new GoTrueError(403, 'flow_state_expired', 'invalid flow state, flow state has expired')
    }
    if (!isVerifierOf(flow, verifier)) {
      throw new GoTrueError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier')
    }
    if (isBanned(user.profile, context.now())) throw new GoTrueError(403, 'user_banned', 'User is banned')
    context.signInFlows.remove(code)
    return { user, session: startSession(context, user, 'oauth') }
  })
  return issueSession(context, user, session)
}

const isVerifierOf = ({ codeChallenge, challengeMethod }: SignInFlow, verifier: string): boolean =>
  codeChallenge === (challengeMethod === 'plain' ? verifier : hash('sha256', verifier, 'base64url'))
