import { AdminAccountsResponse } from '@tollgate/contracts/http/admin/accounts.ts'
import { CommandError, UsageError } from '../commands/command-error.ts'
import type { AdminClient } from './admin-client.ts'

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
    const found = page.accounts.find(({ email }) => email.toLowerCase() === text.toLowerCase())
    if (found !== undefined) return found.id
    cursor = page.next_cursor
  } while (cursor !== null)
  throw new CommandError(`No account belongs to ${text}. Search: tollgate account list --q TEXT`)
}
