// Asks the service in this container whether it is ready: node healthcheck.mjs <variable of its port> <default port>
// For the images, which have no curl. Exits with 0 if the service is ready, otherwise with 1 and the reason.
import { get } from 'node:http'

const [, , variable, defaultPort] = process.argv
const port = process.env[variable] || defaultPort

/** Shorter than the timeout of HEALTHCHECK, so that the reason is printed. */
const timeoutMs = 4000

const request = get({ host: '127.0.0.1', port, path: '/readyz', timeout: timeoutMs }, (answer) => {
  answer.pipe(process.stdout)
  process.exitCode = answer.statusCode === 200 ? 0 : 1
})
request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
request.on('error', (error) => {
  console.error(`port ${port}: ${error.message}`)
  process.exitCode = 1
})
