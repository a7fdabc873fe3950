import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { decodeText } from '../../body/json-text.ts'
import { note } from '../../body/shape.ts'
import { type MeasuredAudio, type MeasuredImage, measureAudio, measureImage, readPrefix } from './measure-media.ts'

/** Maximum images and recordings of a request. No provider takes so many. */
const maxMedia = 4096
/** Maximum media measured per step. A short one takes 20 µs, a long one a millisecond. */
const perStep = 8
const longMedia = 64 * 1024
/** Maximum numbers read per step. A note has three. */
const numbersPerStep = 3 * 4096
/** Longer texts may contain only the escape `\/`: URLs and base64 need no others. */
const maxEscaped = 64 * 1024

/** Measures the images and recordings of a body, and counts its labels, in steps, after the body has been read. */
export class MediaReader {
  readonly media: Array<MeasuredImage | MeasuredAudio> = []
  /** How often each label occurs. */
  readonly labels = new Map<string, number>()
  readonly #bytes: Buffer
  readonly #notes: readonly number[]
  #at = 0

  /** @param notes of the body's reader */
  constructor(bytes: Buffer, notes: readonly number[]) {
    this.#bytes = bytes
    this.#notes = notes
  }

  /**
   * @returns whether all have been measured
   * @throws ServiceError invalid_request for a part without the member that its type names, for too many media, or
   * escaped URLs
   */
  step(): boolean {
    const notes = this.#notes
    const measured = this.media.length
    const until = measured + perStep
    const end = Math.min(notes.length, this.#at + numbersPerStep)
    while (this.#at < end && this.media.length < until) {
      switch (notes[this.#at]) {
        case note.image:
          this.#image()
          break
        case note.audio:
          this.#add(this.#audio(this.#at + 3))
          break
        case note.imageData:
          this.#add(this.#measure(this.#at, null, 'data:image/png;base64,'))
          break
        case note.label:
          this.#label(this.#text(this.#at, maxEscaped))
          break
        case note.part:
          this.#checkType(this.#at + 3)
      }
      this.#at += 3
      const last = this.media.at(-1)
      if (this.media.length > measured && last!.bytes > longMedia) break
    }
    return this.#at >= notes.length
  }

  #image(): void {
    const notes = this.#notes
    // An image is a URL, or an object with a URL and perhaps a detail, in any order.
    if (notes[this.#at + 2] !== 0) {
      this.#add(this.#measure(this.#at, this.#detailBeside(this.#at)))
      return
    }
    let [url, detail] = [-1, null as string | null]
    for (let at = this.#at + 3; notes[at] === note.url || notes[at] === note.detail; at += 3) {
      if (notes[at] === note.url) url = at
      else detail = this.#text(at, 100)
    }
    this.#add(this.#measure(url, detail))
  }

  /** The detail that the part of an image has beside the URL (Responses). */
  #detailBeside(image: number): string | null {
    const notes = this.#notes
    for (let at = image - 3; at >= 0 && notes[at]! !== note.part; at -= 3)
      if (notes[at] === note.detail) return this.#text(at, 100)
    for (let at = image + 3; at < notes.length && notes[at] !== note.part; at += 3)
      if (notes[at] === note.detail) return this.#text(at, 100)
    return null
  }

  #label(text: string): void {
    this.labels.set(text, (this.labels.get(text) ?? 0) + 1)
  }

  /** @param head what a data URL has before the text */
  #measure(at: number, detail: string | null, head = ''): MeasuredImage {
    const [start, end] = [this.#notes[at + 1]!, this.#notes[at + 2]!]
    const isLong = end - start > readPrefix
    const image = measureImage(head + this.#text(at, readPrefix), detail, end - start)
    // A provider that splits at the last comma would read another image.
    return isLong && this.#bytes.subarray(start + readPrefix, end).includes(',') ? { ...image, size: null } : image
  }

  #audio(at: number): MeasuredAudio {
    return measureAudio(this.#text(at, readPrefix), this.#notes[at + 2]! - this.#notes[at + 1]!)
  }

  /** A text, or its beginning if it has more than `length` bytes. */
  #text(at: number, length: number): string {
    const [start, end] = [this.#notes[at + 1]!, this.#notes[at + 2]!]
    if (end - start <= maxEscaped) return decodeText(this.#bytes, start, end)
    // Some JSON writers escape each slash. They escape nothing else in base64.
    const text = this.#bytes.toString('latin1', start, Math.min(end, start + length)).replaceAll('\\/', '/')
    if (text.replace(/\\$/, '').includes('\\')) {
      throw new ServiceError('invalid_request', {
        message: 'Write long URLs and base64 without backslash escapes.'
      })
    }
    return text
  }

  #add(one: MeasuredImage | MeasuredAudio): void {
    if (this.media.push(one) > maxMedia) {
      throw new ServiceError('invalid_request', {
        message: `The request has more than ${maxMedia} images or recordings. Send fewer.`
      })
    }
  }

  /** Some servers rely on the type. So it must not name an image or recording that the part does not have. */
  #checkType(from: number): void {
    const notes = this.#notes
    let [type, hasImage, hasAudio] = [-1, false, false]
    for (let at = from; at < notes.length && notes[at] !== note.part; at += 3) {
      if (notes[at] === note.partType) type = at
      else if (notes[at] === note.image) hasImage = true
      else if (notes[at] === note.audio) hasAudio = true
    }
    // Shorter types are texts.
    if (type < 0 || notes[type + 2]! - notes[type + 1]! < imageType.length) return
    const name = this.#text(type, maxEscaped)
    if ((name === imageType && !hasImage) || (name === audioType && !hasAudio)) {
      throw new ServiceError('invalid_request', { message: `messages: a part of type ${name} has no ${name}. Add it.` })
    }
  }
}

const imageType = 'image_url'
const audioType = 'input_audio'
