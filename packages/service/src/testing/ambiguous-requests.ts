import { connect } from 'node:net'

const smuggled = 'GET /v1/smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/**
 * Requests that two servers may read differently. Most hide another request that one of the servers would see.
 */
export function ambiguousRequests({ method, path, fields, body }: RequestParts): Array<[name: string, text: string]> {
  const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\n${fields}`
  const old = `${method} ${path} HTTP/1.0\r\nhost: x\r\n${fields}`
  const length = `content-length: ${body.length}\r\n`
  const coding = 'transfer-encoding: chunked\r\n'
  const withHosts = (hosts: string, target = path) =>
    `${method} ${target} HTTP/1.1\r\n${hosts}${fields}${length}\r\n${body}`
  return [
    ['two hosts', withHosts('host: x\r\nhost: y\r\n')],
    ['the same host twice, in another case', withHosts('Host: x\r\nHOST: x\r\n')],
    ['two hosts and a whole URL', withHosts('host: x\r\nhost: y\r\n', `http://x${path}`)],
    ['an empty host and another', withHosts('host:\r\nhost: x\r\n')],
    ['no host', withHosts('')],
    ['chunks in HTTP/1.0', `${old}${coding}connection: keep-alive\r\n\r\n${chunked(body)}${smuggled}`],
    ['chunks in HTTP/1.0 without a host', `${old.replace('host: x\r\n', '')}${coding}\r\n${chunked(body)}`],
    ['CL.TE', `${head}content-length: ${chunked(body).length}\r\n${coding}\r\n${chunked(body)}${smuggled}`],
    ['TE.CL', `${head}${coding}content-length: 4\r\n\r\n${chunked(body)}${smuggled}`],
    ['two lengths', `${head}${length}content-length: 0\r\n\r\n${body}${smuggled}`],
    ['the same length twice', `${head}${length}${length}\r\n${body}${smuggled}`],
    ['a list of lengths', `${head}content-length: ${body.length}, ${body.length}\r\n\r\n${body}`],
    ['a length with a sign', `${head}content-length: +${body.length}\r\n\r\n${body}`],
    ['a hexadecimal length', `${head}content-length: 0x10\r\n\r\n${body}${smuggled}`],
    ['an unknown coding', `${head}transfer-encoding: xchunked\r\n\r\n${chunked(body)}${smuggled}`],
    ['a coding after chunked', `${head}transfer-encoding: chunked, identity\r\n\r\n${chunked(body)}${smuggled}`],
    ['a folded coding', `${head}transfer-encoding:\r\n chunked\r\n\r\n${chunked(body)}${smuggled}`],
    ['a folded field', `${head}x-fold: a\r\n b\r\n${length}\r\n${body}`],
    ['a space before the colon', `${head}content-length : ${body.length}\r\n\r\n${body}`],
    ['a space before the colon of a coding', `${head}transfer-encoding : chunked\r\n\r\n${chunked(body)}${smuggled}`],
    ['a space before the first field', `${method} ${path} HTTP/1.1\r\n host: x\r\n${fields}${length}\r\n${body}`],
    ['bare line feeds', `${head}${length}\r\n${body}`.replaceAll('\r\n', '\n')],
    ['a bare line feed in a chunk', `${head}${coding}\r\n${chunked(body).replace('\r\n', '\n')}`],
    ['a chunk size with a sign', `${head}${coding}\r\n+${chunked(body)}${smuggled}`],
    ['a NUL in a field', `${head}x-nul: a\0b\r\n${length}\r\n${body}`],
    ['a bare carriage return in a field', `${head}x-cr: a\rb\r\n${length}\r\n${body}`],
    ['another version', `${method} ${path} HTTP/1.2\r\nhost: x\r\n${fields}${length}\r\n${body}`],
    ['HTTP/0.9', `${method} ${path} HTTP/0.9\r\nhost: x\r\n${fields}${length}\r\n${body}`],
    ['HTTP/2.0', `${method} ${path} HTTP/2.0\r\nhost: x\r\n${fields}${length}\r\n${body}`]
  ]
}

export interface RequestParts {
  method: string
  path: string
  /** Further header fields, each with CR LF at its end. */
  fields: string
  /** A valid body for the endpoint. */
  body: string
}

/** Sends bytes. @returns all data until the server closes the connection */
export async function exchangeBytes(url: string, text: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  // After the answer, the server may reset the connection because of unread bytes.
  let received = ''
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  socket.write(text, 'latin1')
  await closed
  return received
}
