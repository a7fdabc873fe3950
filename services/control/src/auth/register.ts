import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { OkResponse, RegisterRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AuthContext } from './endpoints.ts'
import { startFloor } from './pace.ts'

/** What GoTrue hashes; it refuses longer ones. */
const longestPasswordBytes = 72
/** No more than the rough form: whether an address exists shows when the mail arrives. */
const addressForm = /^[^\s@]+@[^\s@]+$/

/** `POST /register`: creates a user and has the confirmation mail sent. Opens no session. */
export function register(app: TypedApp, { identity, floors }: AuthContext): void {
  app.post(
    '/register',
    { schema: { body: RegisterRequest, response: answers({ 200: OkResponse }) } },
    async (request) => {
      const { email, password, name } = request.body
      if (!addressForm.test(email)) throw new ServiceError('invalid_email')
      if (Buffer.byteLength(password) > longestPasswordBytes) {
        throw new ServiceError('weak_password', {
          message: `The password is longer than ${longestPasswordBytes} bytes.`
        })
      }
      const floor = startFloor(floors.registerMs)
      try {
        await identity.register({ email, password, name }, request.ip)
      } finally {
        await floor()
      }
      return { ok: true as const }
    }
  )
}
