import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { FastifyInstance } from 'fastify'
import type { SubscriptionSync } from '../billing/subscription-sync.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connect.ts'
import type { Projector } from '../projection/projector.ts'
import { createBackground } from './background.ts'
import { changePassword } from './change-password.ts'
import { confirm } from './confirm.ts'
import { confirmLink } from './confirm-link.ts'
import type { Identity } from './identity/identity.ts'
import type { Limits } from './limits.ts'
import { login } from './login.ts'
import { mailRequests } from './mail-requests.ts'
import { me } from './me.ts'
import { ownSessions } from './own-sessions.ts'
import type { Floors } from './pace.ts'
import { register } from './register.ts'
import { resetPassword } from './reset-password.ts'
import { secondFactor } from './second-factor.ts'
import { createSecondFactorCodes, type SecondFactorCodes } from './second-factor-codes.ts'
import { cookieAttributes } from './session-cookie.ts'
import { signout } from './signout.ts'

export type AuthOptions = {
  identity: Identity
  database: Database
  catalog: Catalog
  projector: Pick<Projector, 'accountChanged' | 'keyChanged'>
  sync: Pick<SubscriptionSync, 'read'>
  clock: Clock
  floors: Floors
  limits: Limits
  publicUrl: string
  serviceDomain: string
}

/** What the auth endpoints are made of. */
export type AuthContext = AuthOptions & {
  cookie: ReturnType<typeof cookieAttributes>
  codes: SecondFactorCodes
}

/** `/api/auth/*` */
export async function authEndpoints(app: FastifyInstance, options: AuthOptions): Promise<void> {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const background = createBackground(app.log)
  // What began with an answered request is finished too; everything that it needs is closed later.
  app.addHook('onClose', () => background.ended())
  const context = {
    ...options,
    cookie: cookieAttributes(options.publicUrl, options.serviceDomain),
    codes: createSecondFactorCodes(app, options.limits)
  }
  register(typed, context)
  confirmLink(typed)
  confirm(typed, context)
  login(typed, context)
  signout(typed, context)
  me(typed, context)
  ownSessions(typed, context)
  mailRequests(typed, context, background)
  resetPassword(typed, context)
  changePassword(typed, context)
  secondFactor(typed, context)
}
