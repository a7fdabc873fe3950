import { setTimeout as delay } from 'node:timers/promises'
import {
  type AdminProjection,
  AdminProjectionResponse,
  RebuildProjectionResponse
} from '@tollgate/contracts/http/admin/projection.ts'
import { exitCodes } from '../commands/command.ts'
import { type Action, confirm, createCommand, pairs, show, yesOption } from '../commands/create-command.ts'
import { type AdminClient, createAdminClient } from './admin-client.ts'
import { reasonOption } from './option-values.ts'

/** How long a rebuild is watched. It continues afterwards. */
const maxWaitMs = 300_000
const pollMs = 500

const status: Action = {
  name: 'status',
  summary: 'Checks that Redis has the newest state of all accounts and keys. It exits with 1 if not.',
  async run(input, io) {
    const projection = await read(createAdminClient(io))
    show(input, io, { projection }, () => describe(projection))
    return projection.is_current ? exitCodes.done : exitCodes.failed
  }
}

const rebuild: Action = {
  name: 'rebuild',
  summary: 'Writes everything to Redis again, and waits until that is done. It may ask for your password.',
  options: { ...reasonOption, 'no-wait': { value: null, text: 'do not wait' }, ...yesOption },
  async run(input, io) {
    const reason = input.required('reason')
    const client = createAdminClient(io)
    await confirm(input, io, 'Everything will be written to Redis again. Requests continue meanwhile.')
    const body = { reason }
    const { epoch } = await client.call(RebuildProjectionResponse, 'POST', '/projection/rebuild', { body })
    if (input.has('no-wait')) {
      show(input, io, { epoch }, () => 'Started. See: tollgate projection status')
      return exitCodes.done
    }
    const deadline = performance.now() + maxWaitMs
    let projection = await read(client)
    while (!(projection.is_current && projection.epoch >= epoch) && performance.now() < deadline) {
      await delay(pollMs)
      projection = await read(client)
    }
    show(input, io, { epoch, projection }, () => describe(projection))
    return projection.is_current ? exitCodes.done : exitCodes.pending
  }
}

const read = async (client: AdminClient): Promise<AdminProjection> =>
  (await client.call(AdminProjectionResponse, 'GET', '/projection')).projection

function describe({ epoch, shards, catalog, is_current }: AdminProjection): string {
  return [
    is_current
      ? 'Redis has the newest state.'
      : 'Redis lacks changes. Control writes them; look at its log if this stays.',
    pairs([
      ['Epoch', epoch],
      ['Shards', `${shards.current} of ${shards.total} current`],
      ['Behind', shards.behind],
      ['Not verified', shards.unverified],
      ['Unreachable', shards.unreachable],
      ['Catalog', `version ${catalog.version}, ${catalog.is_current ? 'in Redis' : 'not in Redis yet'}`]
    ])
  ].join('\n')
}

export const projection = createCommand('projection', 'check or rebuild the copy in Redis', [status, rebuild])
