import { AdminAccountsResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { CommandError, UsageError } from '../commands/command.ts'
import type { Input } from '../commands/create-command.ts'
import type { AdminClient } from './admin-client.ts'

export const reasonOption = { reason: { value: 'TEXT', text: 'why (required); the audit logs keep it' } } as const

/** A day or time in the future; null if the option is missing. @throws UsageError */
export function instantOption(input: Input, option: string): string | null {
  const text = input.text(option)
  if (text === null) return null
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = isTime ? new Date(text) : null
  if (time === null || Number.isNaN(time.getTime())) {
    throw new UsageError(`--${option}: write a day or a time in UTC, such as 2026-12-31 or 2026-12-31T18:00Z.`)
  }
  return time.toISOString()
}

/** A number with a point, such as `12.50`; null if the option is missing. @throws UsageError */
export function numberOption(input: Input, option: string): number | null {
  const text = input.text(option)
  if (text === null) return null
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) {
    throw new UsageError(`--${option}: write a number such as 20 or 0.50, with a point.`)
  }
  return Number(text)
}

/** A whole number; null if the option is missing. @throws UsageError */
export function integerOption(input: Input, option: string): number | null {
  const number = numberOption(input, option)
  if (number !== null && !Number.isInteger(number)) throw new UsageError(`--${option}: write a whole number.`)
  return number
}

/** A month such as `2026-11`; null if the option is missing. @throws UsageError */
export function monthOption(input: Input, option: string): string | null {
  const text = input.text(option)
  if (text !== null && !/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) {
    throw new UsageError(`--${option}: write a month such as 2026-11.`)
  }
  return text
}

/**
 * Finds an account by its id, or by the address of its owner.
 *
 * @throws UsageError for other texts; CommandError if no account has the address
 */
export async function accountId(client: AdminClient, text: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  if (!text.includes('@')) {
    throw new UsageError(`"${text}" is not the id or the address of an account. Run: tollgate account list`)
  }
  let cursor: string | null = null
  do {
    const query = { q: text, limit: '100', cursor }
    const page: AdminAccountsResponse = await client.call(AdminAccountsResponse, 'GET', '/accounts', { query })
    const account = page.accounts.find(({ email }) => email.toLowerCase() === text.toLowerCase())
    if (account !== undefined) return account.id
    cursor = page.next_cursor
  } while (cursor !== null)
  throw new CommandError(`No account belongs to ${text}. Search: tollgate account list --q TEXT`)
}
