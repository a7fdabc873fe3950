import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** scrypt's N. Most tests set a lower one, since hashing would take most of their time. */
export const defaultPasswordCost = 16_384

const [blockSize, parallelization] = [8, 1]
const keyLength = 32

/** Hashes a password with scrypt and a random salt. The result names its parameters. */
export async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, { N: cost, r: blockSize, p: parallelization })
  return format(cost, salt.toString('base64url'), key.toString('base64url'))
}

/** Whether the password matches `hash`. For null it does the same work and returns false. */
export async function isPasswordOf(password: string, hash: string | null, cost: number): Promise<boolean> {
  // So an unknown address takes as long as a wrong password.
  const [, N, r, p, salt = '', expected = ''] = (hash ?? format(cost, 'A'.repeat(22), 'A'.repeat(43))).split('$')
  const key = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return timingSafeEqual(key, Buffer.from(expected, 'base64url')) && hash !== null
}

function format(cost: number, salt: string, key: string): string {
  return ['scrypt', cost, blockSize, parallelization, salt, key].join('$')
}

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
