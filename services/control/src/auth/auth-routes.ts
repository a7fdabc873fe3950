import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { createBackground } from '../background/after-answer.ts'
import { cookieAttributes } from '../callers/session-cookie.ts'
import { createSignupLimit } from '../signup/signup-policy.ts'
import type { AuthOptions } from './auth-context.ts'
import { confirm, confirmLink } from './confirm.ts'
import { login, loginCode } from './login.ts'
import { mailRequests } from './mail-requests.ts'
import { me } from './me.ts'
import { changePassword, reauthenticate } from './own-password.ts'
import { ownSessions, signout } from './own-sessions.ts'
import { createPendingSignIns } from './provider-cookies.ts'
import { providerSignIn } from './provider-sign-in.ts'
import { recoveryCodes } from './recovery-codes.ts'
import { register } from './register.ts'
import { resetPassword } from './reset-password.ts'
import { secondFactor } from './second-factor.ts'
import { createSecondFactorCodes } from './second-factor-codes.ts'
import { createWrongGuesses } from './wrong-guesses.ts'

/** `/api/auth/*` */
export async function authRoutes(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const background = createBackground(app.log)
  // Background work of answered requests finishes first. What it needs is closed later.
  app.addHook('onClose', () => background.ended())
  const context = {
    ...options,
    cookie: cookieAttributes(options.publicUrl, options.serviceDomain),
    pendings: createPendingSignIns(options.sharedSecret),
    countSignup: createSignupLimit(app, options.signup),
    codes: createSecondFactorCodes(app, options),
    guesses: createWrongGuesses(app, options)
  }
  register(typed, context)
  confirmLink(typed)
  confirm(typed, context)
  login(typed, context)
  providerSignIn(typed, context)
  loginCode(typed, context)
  signout(typed, context)
  me(typed, context)
  ownSessions(typed, context)
  mailRequests(typed, context, background)
  resetPassword(typed, context)
  changePassword(typed, context)
  reauthenticate(typed, context)
  secondFactor(typed, context)
  recoveryCodes(typed, context)
}
