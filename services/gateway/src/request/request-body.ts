import { isUtf8 } from 'node:buffer'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { notUtf8 } from '@tollgate/service/http/request-body.ts'
import type { Static, TObject } from 'typebox'
import { JsonReader } from '../body/json-reader.ts'
import { type Shape, shapeOf } from '../body/shape.ts'
import { MediaReader } from '../tokens/media/media-reader.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'

/** A request body: its bytes, and its parsed members. */
export type RequestBody<Members> = BoundedBody & {
  /** Values of the top-level members. Long values are an empty object. */
  members: Members
}

/** A request schema, and its shape for the JSON reader. */
export interface PreparedSchema<Schema extends TObject> {
  readonly schema: Schema
  readonly shape: Shape
}

/** Prepares a schema for reading requests. */
export const prepareSchema = <Schema extends TObject>(schema: Schema): PreparedSchema<Schema> => ({
  schema,
  shape: shapeOf(schema)
})

/** Bodies up to this length are read at once: that takes half a millisecond, or more while the code is cold. */
const readAtOnce = 64 * 1024
/** Bytes per step of a longer body. */
const sliceLength = 16 * 1024
/** Bytes whose encoding is checked in one step of a longer body. */
const checkedLength = 1024 * 1024

/** Reads the members that the gateway needs. All others are forwarded unchanged. */
export class BodyReading<Schema extends TObject> {
  readonly isShort: boolean
  readonly #bytes: Buffer
  readonly #json: JsonReader
  #media: MediaReader | null = null
  /** How many bytes are known to be UTF-8. */
  #checked = 0

  /**
   * @param prepared from {@link prepareSchema}
   * @throws ServiceError invalid_json
   */
  constructor(bytes: Buffer, prepared: PreparedSchema<Schema>) {
    if (bytes.length === 0)
      throw new ServiceError('invalid_json', { message: 'The request has no body. Send a JSON object.' })
    this.isShort = bytes.length <= readAtOnce
    if (this.isShort) {
      if (!isUtf8(bytes)) throw notUtf8()
      this.#checked = bytes.length
    }
    this.#bytes = bytes
    this.#json = new JsonReader(bytes, prepared.shape)
  }

  /**
   * Reads the next part, for at most a millisecond.
   *
   * @returns whether the whole body has been read
   * @throws ServiceError invalid_json, invalid_request or unpriced_parameter, naming the member
   */
  step(): boolean {
    if (this.#checked < this.#bytes.length) {
      this.#checkEncoding()
      return false
    }
    if (this.#media === null) {
      if (!this.#json.read(this.isShort ? readAtOnce : sliceLength)) return false
      this.#media = new MediaReader(this.#bytes, this.#json.notes)
    }
    return this.#media.step()
  }

  /** Checks that the next bytes are UTF-8. @throws ServiceError invalid_json */
  #checkEncoding(): void {
    const bytes = this.#bytes
    let end = Math.min(bytes.length, this.#checked + checkedLength)
    // A slice ends before the first byte of a character. Characters have up to four bytes.
    for (let back = 0; back < 3 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80; back++) end--
    if (!isUtf8(bytes.subarray(this.#checked, end))) throw notUtf8()
    this.#checked = end
  }

  /** The result, once the whole body has been read. */
  get body(): RequestBody<Static<Schema>> {
    const { members, spans, notes, messages, parts, inputs, listedNumbers, listedNumberBytes } = this.#json
    const { media, labels } = this.#media!
    return {
      bytes: this.#bytes,
      members: members as Static<Schema>,
      spans,
      media,
      labels,
      notes,
      messages,
      parts,
      inputs,
      listedNumbers,
      listedNumberBytes
    }
  }
}

/** Reads a body of any length at once. @throws ServiceError as {@link BodyReading.step} */
export function readRequestBody<Schema extends TObject>(
  bytes: Buffer,
  prepared: PreparedSchema<Schema>
): RequestBody<Static<Schema>> {
  const reading = new BodyReading(bytes, prepared)
  while (!reading.step());
  return reading.body
}
