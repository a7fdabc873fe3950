import { randomUUID } from 'node:crypto'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'
import { aReceipt } from '@tollgate/state/testing/one-account.ts'

/** The receipt of a plain request that was served, of now unless changed. */
export const receiptOf = (account: string, changed: Partial<Receipt> = {}): Receipt =>
  aReceipt({ id: `req_${randomUUID()}`, account, at: Math.floor(Date.now() / 1000), ...changed })
