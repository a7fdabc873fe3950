import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, RegisterRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { addressOf } from '../callers/request-address.ts'
import { limitAttempts } from '../http/attempts.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { noteRegistered } from '../users/proof.ts'
import type { AuthContext } from './auth-context.ts'
import { checkNewPassword, isAddress } from './credentials-form.ts'
import { startFloor } from './pace.ts'

/** `POST /register`: creates a user and has the confirmation mail sent. Opens no session. */
export function register(app: TypedApp, { identity, database, clock, floors, limits }: AuthContext): void {
  app.post(
    '/register',
    {
      preHandler: limitAttempts(app, { what: 'register', perMinute: limits.register, subjectOf: addressOf }),
      schema: { body: RegisterRequest, response: answers({ 200: OkResponse }) }
    },
    async (request) => {
      const { email, password, name } = request.body
      if (!isAddress(email)) throw new ServiceError('invalid_email')
      checkNewPassword(password, [email, name])
      const floor = startFloor(floors.registerMs)
      try {
        await noteRegistered(database.orm, await identity.register({ email, password, name }, request.ip), clock())
      } finally {
        await floor()
      }
      return { ok: true as const }
    }
  )
}
