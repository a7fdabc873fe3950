import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Receipt } from '@tollgate/contracts/requests/receipt.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)
/** Receipts repeat themselves: more effort saves little. */
const level = 3

/** Packs receipts into about a tenth of their JSON, off the event loop. */
export const packReceipts = (receipts: readonly Receipt[]): Promise<Buffer> =>
  compress(JSON.stringify(receipts), { level })

/** @throws Error if the bytes are none of `packReceipts` */
export async function unpackReceipts(packed: Uint8Array): Promise<Receipt[]> {
  const receipts: unknown = JSON.parse((await decompress(packed)).toString())
  if (!Array.isArray(receipts)) throw new Error('packed receipts are no list')
  return receipts as Receipt[]
}
