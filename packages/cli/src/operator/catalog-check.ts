import { AdminCatalogResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import { UpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { parseCatalog } from '@tollgate/service/catalog/catalog-file.ts'
import { FileError, parseYaml } from '@tollgate/service/config/read-yaml.ts'
import type { Action, Input } from '../commands/action.ts'
import type { CommandIo } from '../commands/command.ts'
import { CommandError } from '../commands/command-error.ts'
import { exitCodes } from '../commands/exit-codes.ts'
import { show } from '../commands/show.ts'
import { comparePrices } from '../prices/compare-prices.ts'
import { openPriceList, priceListDay, priceListVersion } from '../prices/price-list.ts'
import { createAdminClient } from './admin-client.ts'
import { readNamed } from './catalog-input.ts'
import { describePriceCheck, type PriceCheck } from './describe-price-check.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const maxListDays = 45

/** Every hour of the next day, and of the day 30 days later: providers announce prices, and some charge more at some hours. */
const comparedTimes = (now: number): number[] =>
  [now, now + 30 * dayMs].flatMap((day) => Array.from({ length: 24 }, (_, hour) => day + hour * hourMs))

export const check: Action = {
  name: 'check',
  summary:
    'Compares prices with a public price list, now and in 30 days. It exits with 1 if a price is below it without a reason in the catalog. Default: the catalog in force.',
  operands: ['[FILE]'],
  options: { upstreams: { value: 'FILE', text: 'the gateway’s upstreams file, to find providers by their hosts' } },
  async run(input, io) {
    const text = await readCatalogText(input, io)
    const { models } = valid(() => parseCatalog(text, input.operands[0] ?? 'the catalog in force'))
    const list = await openPriceList(readBaseUrls(input, io))
    const now = Date.now()
    const days = Math.floor((now - Date.parse(priceListDay)) / dayMs)
    const differences = comparePrices({ models }, list, comparedTimes(now))
    const result: PriceCheck = {
      ok: differences.every(({ result, because }) => result !== 'below' || because !== null),
      list: {
        ...{ name: '@pydantic/genai-prices', version: priceListVersion, date: priceListDay, age_days: days },
        is_old: days > maxListDays
      },
      models: Object.keys(models).length,
      differences: differences.map(
        ({ model, served, entry, kind, abovePromptTokens, at, catalogUsd, listUsd, result, because }) => ({
          ...{ model, served, entry, kind, above_prompt_tokens: abovePromptTokens, at: new Date(at).toISOString() },
          ...{ catalog_usd: catalogUsd, list_usd: listUsd, result, because }
        })
      )
    }
    show(input, io, result, () => describePriceCheck(result, now))
    return result.ok ? exitCodes.done : exitCodes.failed
  }
}

async function readCatalogText(input: Input, io: CommandIo): Promise<string> {
  const [file] = input.operands
  if (file !== undefined) return readNamed(file, io)
  const { yaml } = await createAdminClient(io).call(AdminCatalogResponse, 'GET', '/catalog')
  return yaml
}

/** Base URLs of upstreams. Credentials are not needed, and not read. */
function readBaseUrls(input: Input, io: CommandIo): Map<string, string> {
  const file = input.text('upstreams')
  if (file === null) return new Map()
  const { upstreams } = valid(() => parseYaml(readNamed(file, io), file, UpstreamsFile))
  return new Map(
    Object.entries(upstreams).map(([name, { base_url, base_url_variable: variable }]) => [
      name,
      (variable !== undefined && io.env[variable]) || base_url
    ])
  )
}

/** @throws CommandError for a file that is not valid */
function valid<Content>(read: () => Content): Content {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof FileError) throw new CommandError(cause.message, { cause })
    throw cause
  }
}
