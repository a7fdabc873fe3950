import {
  AdminCatalogResponse,
  ApplyCatalogResponse,
  CatalogDiffResponse,
  type PublishedCatalog
} from '@tollgate/contracts/http/admin/catalog.ts'
import { CommandError, exitCodes } from '../commands/command.ts'
import {
  type Action,
  confirm,
  createCommand,
  pairs,
  printable,
  show,
  table,
  yesOption
} from '../commands/create-command.ts'
import { createAdminClient } from './admin-client.ts'
import { check, describeDiff, readCandidate, versionOption } from './catalog-check.ts'
import { reasonOption } from './option-values.ts'

const showInForce: Action = {
  name: 'show',
  summary: 'Shows the catalog in force.',
  options: { yaml: { value: null, text: 'print only the file’s text, to keep or edit it' } },
  async run(input, io) {
    const result = await createAdminClient(io).call(AdminCatalogResponse, 'GET', '/catalog')
    const { catalog: value, missing_upstreams: missing, yaml } = result
    if (input.has('yaml')) {
      io.out(yaml.endsWith('\n') ? yaml : `${yaml}\n`)
      return exitCodes.done
    }
    show(input, io, result, () =>
      [
        pairs([
          ['Version', value.version],
          ['SHA-256', value.sha256],
          ['Published', `${value.published_at} by ${publisherOf(value)}`],
          ['Reason', value.reason],
          ['Models', value.models],
          ['Plans', value.plans]
        ]),
        ...(missing.length === 0 ? [] : [`No running gateway has these upstreams: ${printable(missing.join(', '))}`])
      ].join('\n')
    )
    return exitCodes.done
  }
}

const history: Action = {
  name: 'history',
  summary: 'Lists the newest 50 catalogs.',
  async run(input, io) {
    const { history: all } = await createAdminClient(io).call(AdminCatalogResponse, 'GET', '/catalog')
    show(input, io, { history: all }, () =>
      table(
        [
          ['VERSION', 'PUBLISHED', 'BY', 'MODELS', 'PLANS', 'CAN BE APPLIED', 'REASON'],
          ...all.map((one) => [
            one.version,
            one.published_at,
            publisherOf(one),
            one.models,
            one.plans,
            one.is_kept ? 'yes' : 'no: too old',
            one.reason
          ])
        ],
        'None.'
      )
    )
    return exitCodes.done
  }
}

const diff: Action = {
  name: 'diff',
  summary: 'Shows what a catalog changes, for how many accounts. It exits with 1 if it cannot be applied.',
  operands: ['[FILE]'],
  options: versionOption,
  async run(input, io) {
    const body = readCandidate(input, io)
    const result = await createAdminClient(io).call(CatalogDiffResponse, 'POST', '/catalog/diff', { body })
    show(input, io, result, () => describeDiff(result))
    return result.problems.length === 0 ? exitCodes.done : exitCodes.failed
  }
}

const apply: Action = {
  name: 'apply',
  summary: 'Puts a catalog in force, after showing what it changes. It may ask for your password.',
  operands: ['[FILE]'],
  options: { ...reasonOption, ...versionOption, ...yesOption },
  async run(input, io) {
    const reason = input.required('reason')
    const candidate = readCandidate(input, io)
    const client = createAdminClient(io)
    if (!input.has('yes') && io.isTerminal) {
      const changes = await client.call(CatalogDiffResponse, 'POST', '/catalog/diff', { body: candidate })
      io.err(`${describeDiff(changes)}\n`)
      if (changes.problems.length > 0) throw new CommandError('Correct the catalog, then apply it again.')
    }
    await confirm(input, io, 'This catalog will apply to all new requests.')
    const body = { ...candidate, reason }
    const result = await client.call(ApplyCatalogResponse, 'POST', '/catalog', { body })
    show(input, io, result, () => `Catalog ${result.catalog.version} is in force.`)
    return exitCodes.done
  }
}

const publisherOf = ({ published_by, operator_email }: PublishedCatalog): string =>
  published_by === 'file' ? 'CATALOG_FILE' : (operator_email ?? 'an operator')

export const catalog = createCommand('catalog', 'see and change models, prices and plans', [
  showInForce,
  diff,
  check,
  apply,
  history
])
