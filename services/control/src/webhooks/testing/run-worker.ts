import { openDatabase } from '../../database/connect.ts'
import { readNetwork } from '../addresses.ts'
import { createDeliveryWorker } from '../delivery-worker.ts'
import { createSendMessage } from '../send-message.ts'

// A program with a worker alone, for a test that kills it: `node run-worker.ts <database> <key in base64>`.
const [databaseUrl = '', key = ''] = process.argv.slice(2)
const allowedNetworks = [readNetwork('127.0.0.1/32')!]
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const database = await openDatabase(databaseUrl, { poolSize: 2 })
createDeliveryWorker({
  database,
  secretKeys: [Buffer.from(key, 'base64')],
  send: createSendMessage({ allowedNetworks, findAddresses: async () => [] }),
  rightClock: () => new Date(),
  log,
  onAttempt: () => undefined,
  intervalMs: 20
}).start()
