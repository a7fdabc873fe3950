import { allShards } from './names.ts'

/** Number of slots of a Redis Cluster. */
export const slotCount = 16_384

/**
 * The slot of a hash tag.
 *
 * @param tag a shard; for a name without a tag, the whole name
 */
export function slotOf(tag: string): number {
  return slotOfShard.get(tag) ?? crc16(tag) % slotCount
}

/** CRC-16 as XMODEM has it (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/, appendix A). */
function crc16(text: string): number {
  let crc = 0
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return crc & 0xffff
}

const slotOfShard: ReadonlyMap<string, number> = new Map(allShards.map((shard) => [shard, crc16(shard) % slotCount]))
