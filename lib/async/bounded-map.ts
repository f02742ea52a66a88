/** Keeps its newest `most` entries. Setting a key makes it the newest. */
export class BoundedMap<K, V> extends Map<K, V> {
  constructor(
    private readonly most: number,
    private readonly onDropped: (value: V) => void = () => undefined,
  ) {
    super();
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.most) this.#dropOldest();
    return this;
  }

  #dropOldest(): void {
    const [oldest] = this;
    if (oldest === undefined) return;
    this.delete(oldest[0]);
    this.onDropped(oldest[1]);
  }
}
