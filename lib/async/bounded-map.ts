/** A map that keeps its newest entries: setting a key makes it the newest, and beyond `most`, the oldest one goes. */
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
    const [oldest] = this;
    if (this.size > this.most && oldest !== undefined) {
      this.delete(oldest[0]);
      this.onDropped(oldest[1]);
    }
    return this;
  }
}
