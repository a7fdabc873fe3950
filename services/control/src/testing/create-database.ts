import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { openDatabase } from '../database/connect.ts'

/** Creates an empty database in a server. @returns its URL */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  const server = await openDatabase(serverUrl, { poolSize: 1 })
  await server.orm.execute(sql`create database ${sql.identifier(name)}`)
  await server.close()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
