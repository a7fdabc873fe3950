import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { inTransaction } from '../open-sqlite.ts'
import { isUuid } from './authenticate.ts'
import type { IdentityContext } from './context.ts'
import { GoTrueError, validationFailed } from './errors.ts'
import { checkEmail, checkNewPassword, checkPasswordLength, hashPassword } from './passwords.ts'
import { Flag, JsonObject, readBody, Text } from './request-body.ts'
import { duplicateEmail } from './user.ts'
import type { StoredUser } from './user-store.ts'
import {
  ban,
  confirmEmail,
  mergeMetadata,
  newUser,
  parseBanDuration,
  saveUser,
  setPassword,
  updateEmailIdentity
} from './users.ts'
import type { WireUser } from './wire.ts'

const defaultSize = 50

const AdminUser = Type.Object({
  id: Text,
  role: Text,
  email: Text,
  phone: Text,
  password: Text,
  password_hash: Text,
  email_confirm: Flag,
  user_metadata: JsonObject,
  app_metadata: JsonObject,
  ban_duration: Text
})
type AdminUser = Static<typeof AdminUser>

const Deletion = Type.Object({ should_soft_delete: Flag })

/** `/admin/users`, for administrators. */
export function registerAdminUsers(app: FastifyInstance, context: IdentityContext): void {
  app.get('/admin/users', async (request, reply) => {
    const page = readPage(request)
    const { filter } = request.query as Record<string, unknown>
    const { users, total } = context.users.page(page.number, page.size, typeof filter === 'string' ? filter : '')
    reply.headers(pageHeaders(request, page, total))
    return { users: users.map(({ profile }) => profile), aud: 'authenticated' }
  })

  app.post('/admin/users', async (request) => createUser(context, readAdminUser(request)))

  app.get('/admin/users/:id', async (request) => findUser(context, request).profile)

  app.put('/admin/users/:id', async (request) => {
    const { id } = findUser(context, request).profile
    return updateUser(context, id, readAdminUser(request))
  })

  app.delete('/admin/users/:id', async (request) => {
    const { should_soft_delete: isSoft } = readBody(Deletion, request.body ?? {})
    inTransaction(context.database, () => {
      const user = findUser(context, request)
      if (isSoft) softDelete(context, user)
      else context.users.remove(user.profile.id)
    })
    return {}
  })
}

function readAdminUser(request: FastifyRequest): AdminUser {
  const body = readBody(AdminUser, request.body)
  if (body.phone) throw validationFailed('The embedded identity server does not support phone numbers')
  if (body.password_hash) throw validationFailed('The embedded identity server does not support password hashes')
  return body
}

/** The user of the path. @throws GoTrueError 404 `validation_failed`, `user_not_found` */
export function findUser(context: IdentityContext, request: FastifyRequest): StoredUser {
  const { id } = request.params as { id: string }
  if (!isUuid(id)) throw new GoTrueError(404, 'validation_failed', 'user_id must be an UUID')
  const user = context.users.byId(id.toLowerCase())
  if (user === null) throw new GoTrueError(404, 'user_not_found', 'User not found')
  return user
}

async function createUser(context: IdentityContext, body: AdminUser): Promise<WireUser> {
  if (!body.email) throw validationFailed('Cannot create a user without either an email or phone')
  const email = checkEmail(body.email)
  if (context.users.byEmail(email) !== null) throw duplicateEmail()
  if (body.id && !isUuid(body.id)) throw validationFailed('ID must conform to the uuid v4 format')
  const banMs = body.ban_duration ? parseBanDuration(body.ban_duration) : 0
  checkPasswordLength(body.password ?? '')
  const passwordHash = body.password ? await hashPassword(body.password, context.settings.passwordCost) : null
  const user = newUser(
    {
      email,
      passwordHash,
      userMetadata: mergeMetadata({}, body.user_metadata ?? {}),
      ...(body.id && { id: body.id.toLowerCase() }),
      ...(body.role && { role: body.role })
    },
    context.now()
  )
  user.profile.app_metadata = mergeMetadata(user.profile.app_metadata, body.app_metadata ?? {})
  ban(user.profile, banMs, context.now())
  inTransaction(context.database, () => {
    context.users.insert(user)
    if (body.email_confirm) confirmEmail(context, user)
    saveUser(context, user)
  })
  return user.profile
}

/** Does not check whether another user has the address: as in GoTrue, that fails with 500. */
async function updateUser(context: IdentityContext, id: string, body: AdminUser): Promise<WireUser> {
  const email = body.email ? checkEmail(body.email) : null
  const banMs = body.ban_duration ? parseBanDuration(body.ban_duration) : null
  const { password } = body
  const isNewPassword = password !== undefined && password !== null
  if (isNewPassword) checkNewPassword(password, context.settings.minimumPasswordLength)
  const passwordHash = isNewPassword ? await hashPassword(password, context.settings.passwordCost) : null
  return inTransaction(context.database, () => {
    const user = context.users.byId(id)
    if (user === null) throw new GoTrueError(404, 'user_not_found', 'User not found')
    const { profile } = user
    if (body.role) profile.role = body.role
    if (body.email_confirm) confirmEmail(context, user)
    if (passwordHash !== null) setPassword(context, user, passwordHash, null)
    if (email !== null) {
      profile.email = email
      updateEmailIdentity(user, { email, email_verified: body.email_confirm === true })
    }
    profile.app_metadata = mergeMetadata(profile.app_metadata, body.app_metadata ?? {})
    profile.user_metadata = mergeMetadata(profile.user_metadata, body.user_metadata ?? {})
    if (banMs !== null) ban(profile, banMs, context.now())
    saveUser(context, user)
    return profile
  })
}

/** Keeps the user's id and makes the other data unreadable. */
function softDelete(context: IdentityContext, user: StoredUser): void {
  const { profile } = user
  if (profile.deleted_at !== undefined) return
  profile.email = createHash('sha256').update(`${profile.id}${profile.email}`).digest('base64url')
  profile.deleted_at = new Date(context.now()).toISOString()
  profile.user_metadata = {}
  profile.app_metadata = {}
  delete profile.new_email
  for (const identity of profile.identities) {
    identity.identity_data = {}
    identity.email = ''
  }
  user.passwordHash = null
  delete user.factors
  delete profile.factors
  context.oneTimeTokens.removeOfUser(profile.id)
  context.sessions.removeOfUser(profile.id, null)
  saveUser(context, user)
}

interface Page {
  /** Starts at 1. */
  number: number
  size: number
}

/** @throws GoTrueError 400 `validation_failed` */
function readPage(request: FastifyRequest): Page {
  const { page, per_page: size } = request.query as Record<string, unknown>
  return { number: readNumber(page, 1), size: readNumber(size, defaultSize) }
}

/** Returns `X-Total-Count`, and `Link` with the next and the last page. */
function pageHeaders(request: FastifyRequest, { number, size }: Page, total: number): Record<string, string> {
  const last = Math.ceil(total / size)
  const query = request.query as Record<string, string>
  const path = request.url.split('?')[0]?.replace(/^\/auth\/v1/, '') ?? ''
  const link = (page: number, rel: string) => {
    // Sorted as in Go, because the client takes the digit after the first "=" as the page.
    const parameters = new URLSearchParams(Object.entries({ ...query, page: String(page) }).sort())
    return `<${path}?${parameters}>; rel="${rel}"`
  }
  const links = last > number ? [link(number + 1, 'next'), link(last, 'last')] : [link(last, 'last')]
  return { link: links.join(', '), 'x-total-count': String(total) }
}

function readNumber(value: unknown, fallback: number): number {
  if (value === undefined || value === '') return fallback
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : 0
  if (!Number.isSafeInteger(number) || number < 1) {
    throw validationFailed(`Bad Pagination Parameters: parsing ${JSON.stringify(value)}: invalid syntax`)
  }
  return number
}
