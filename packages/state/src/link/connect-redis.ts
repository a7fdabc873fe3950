import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { slotCount } from '../keyspace/names.ts'
import { mergeClaims, readClusterNodes } from './cluster-view.ts'
import { followMasters, type Watch } from './follow-masters.ts'
import { askAll, chooseMaster, openMasterQueries, readSentinelView } from './master-queries.ts'
import type { RedisLink, RedisLinkOptions, RedisNode } from './redis-link.ts'
import { connectNode } from './redis-node.ts'
import { type HostPort, parseRedisUrl, type RedisAddress, type RedisTls } from './redis-url.ts'

/**
 * Connects to the Redis of a `REDIS_URL`: one server, Sentinel or Cluster.
 *
 * @throws RedisUrlError, or Error naming the variable if a file cannot be read
 */
export function connectRedis(url: string, options: RedisLinkOptions): RedisLink {
  const address = parseRedisUrl(url)
  if (address.form === 'single') return connectServer(url, options)
  const access = accessOf(address)
  const isSpread = address.form === 'cluster'
  const db = address.form === 'sentinel' ? address.database : 0
  return followMasters({
    isSpread,
    onError: options.onError,
    connect: (server, isChosen) => connectNode({ ...access, ...server, db }, options, isChosen),
    openWatch: (onReady) =>
      address.form === 'sentinel' ? watchSentinels(address, options, onReady) : watchCluster(address, options, onReady)
  })
}

/**
 * Connects to the server of a `REDIS_URL` that names a single server.
 *
 * @throws as {@link connectRedis}, and Error for any other form
 */
export function connectServer(url: string, options: RedisLinkOptions): RedisNode {
  const address = parseRedisUrl(url)
  if (address.form !== 'single') throw new Error('REDIS_URL names several servers')
  return connectNode({ ...accessOf(address), ...address.server, db: address.database }, options)
}

interface Access {
  username?: string
  password?: string
  tls?: ReturnType<typeof readTls>
}

function accessOf({ credentials, tls }: Pick<RedisAddress, 'credentials' | 'tls'>): Access {
  return {
    ...(credentials !== null && { password: credentials.password }),
    ...(credentials?.username != null && { username: credentials.username }),
    ...(tls !== null && { tls: readTls(tls) })
  }
}

function watchSentinels(
  address: RedisAddress & { form: 'sentinel' },
  { name: connectionName }: RedisLinkOptions,
  onReady: () => void
): Watch {
  const { sentinels, sentinelCredentials: credentials, tls, master: name } = address
  const queries = openMasterQueries(sentinels, { ...accessOf({ credentials, tls }), connectionName }, onReady)
  return {
    async ask() {
      const clients = queries.ready()
      if (clients.length === 0) throw queries.lastError()
      const views = await askAll(clients, async (client) => {
        const [place, fields] = await Promise.all([
          client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
          client.call('SENTINEL', 'MASTER', name)
        ])
        return readSentinelView(place, fields)
      })
      const master = chooseMaster(views.filter((view) => view !== null))
      if (master === null) throw new Error('The Sentinels do not know the master that REDIS_URL names')
      return [{ ...master, slots: [[0, slotCount - 1]] }]
    },
    close: queries.close
  }
}

function watchCluster(
  address: RedisAddress & { form: 'cluster' },
  { name: connectionName }: RedisLinkOptions,
  onReady: () => void
): Watch {
  const queries = openMasterQueries(address.seeds, { ...accessOf(address), connectionName }, onReady)
  return {
    // Asks the masters too, because all seeds may have left the cluster since this process started.
    async ask(nodes) {
      const clients = [...queries.ready(), ...nodes.filter((node) => node.isReady()).map(({ client }) => client)]
      if (clients.length === 0) throw queries.lastError()
      const views = await askAll(clients, async (client) =>
        readClusterNodes(String(await client.cluster('NODES')), client.options as HostPort)
      )
      return mergeClaims(views)
    },
    close: queries.close
  }
}

/**
 * Reads the certificate files that a `REDIS_URL` names, as options for TLS.
 *
 * @throws Error naming the variable and the file if a file cannot be read
 */
function readTls({ caFile, client }: RedisTls): ConnectionOptions {
  return {
    ...(caFile !== null && { ca: readPem('ssl_ca_certs', caFile) }),
    ...(client !== null && {
      cert: readPem('ssl_certfile', client.certFile),
      key: readPem('ssl_keyfile', client.keyFile)
    })
  }
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`REDIS_URL: ${parameter}: ${path} cannot be read (${code})`, { cause })
  }
}
