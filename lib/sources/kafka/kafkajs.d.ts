// The parts below kafkajs' clients, which open connections, wait and retry by themselves.

declare module "kafkajs/src/network/connection" {
  export interface LibrarySocket {
    on(event: string, listener: (...args: never[]) => void): unknown;
    write(data: Buffer, encoding: "binary"): unknown;
    end(): unknown;
    unref(): unknown;
  }

  export interface Logger {
    namespace(name: string): Logger;
    debug(text: string): void;
    info(text: string): void;
    warn(text: string): void;
    error(text: string): void;
  }

  export interface Sasl {
    mechanism: string;
    username?: string;
    password?: string;
    oauthBearerProvider?: () => Promise<{ value: string }>;
    authenticationProvider?: (to: { host: string; port: number; logger: Logger; saslAuthenticate: unknown }) => {
      authenticate(): Promise<void>;
    };
  }

  export default class Connection {
    constructor(options: {
      host: string;
      port: number;
      clientId: string;
      logger: Logger;
      socketFactory: (options: { onConnect: () => void }) => LibrarySocket;
      sasl: Sasl | null;
      connectionTimeout: number;
      requestTimeout: number;
      enforceRequestTimeout: boolean;
    });
    readonly requestQueue: { destroy(): void };
    connect(): Promise<boolean>;
    isConnected(): boolean;
    isAuthenticated(): boolean;
    setVersions(versions: unknown): void;
    setSupportAuthenticationProtocol(isSupported: boolean): void;
    send(request: unknown): Promise<unknown>;
  }
}

declare module "kafkajs/src/broker" {
  import type { Logger, Sasl } from "kafkajs/src/network/connection";

  export interface PartitionOffset {
    readonly partition: number;
    readonly offset: string;
  }

  export interface TopicOffsets {
    readonly topic: string;
    readonly partitions: readonly PartitionOffset[];
  }

  export interface TopicPartitions<Of> {
    readonly topic: string;
    readonly partitions: readonly Of[];
  }

  export default class Broker {
    constructor(options: {
      connectionPool: {
        readonly host: string;
        readonly port: number;
        readonly sasl: Sasl | null;
        readonly connectionTimeout: number;
        getConnection(): Promise<unknown>;
        isConnected(): boolean;
        isAuthenticated(): boolean;
        setVersions(versions: unknown): void;
        setSupportAuthenticationProtocol(isSupported: boolean): void;
        send(request: unknown): Promise<unknown>;
        destroy(): Promise<void>;
      };
      logger: Logger;
      allowAutoTopicCreation: boolean;
      authenticationTimeout: number;
    });
    readonly versions: Readonly<Record<string, { readonly maxVersion: number } | undefined>>;
    connect(): Promise<void>;
    metadata(topics: readonly string[]): Promise<{
      readonly brokers: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
      readonly topicMetadata: readonly {
        readonly topic: string;
        readonly isInternal?: boolean;
        readonly partitionMetadata: readonly { readonly partitionId: number; readonly leader: number }[];
      }[];
    }>;
    findGroupCoordinator(of: { groupId: string; coordinatorType: 0 }): Promise<{
      readonly coordinator: { readonly host: string; readonly port: number };
    }>;
    offsetFetch(of: {
      groupId: string;
      topics: readonly TopicPartitions<{ readonly partition: number }>[];
    }): Promise<{ readonly responses: readonly TopicOffsets[] }>;
    listOffsets(of: {
      replicaId: -1;
      isolationLevel: 0 | 1;
      topics: readonly TopicPartitions<{ readonly partition: number; readonly timestamp: number }>[];
    }): Promise<{ readonly responses: readonly TopicOffsets[] }>;
  }
}

declare module "kafkajs/src/broker/saslAuthenticator/scram" {
  import type { Logger, Sasl } from "kafkajs/src/network/connection";

  interface Digest {
    readonly type: string;
  }

  export const DIGESTS: { readonly SHA256: Digest; readonly SHA512: Digest };

  export class SCRAM {
    constructor(sasl: Sasl, host: string, port: number, logger: Logger, saslAuthenticate: unknown, digest: Digest);
    authenticate(): Promise<void>;
    saltPassword(message: { readonly i: string }): Promise<Buffer>;
  }
}
