"""A server of pymodbus, whose registers hold their own addresses.

python modbus_server.py tcp PORT | rtu DEVICE BAUD
"""

import asyncio
import sys

from pymodbus import FramerType
from pymodbus.datastore import ModbusDeviceContext, ModbusSequentialDataBlock, ModbusServerContext
from pymodbus.server import StartAsyncSerialServer, StartAsyncTcpServer

COUNT = 1000


async def serve(kind: str, where: str, baud: str = "19200") -> None:
    registers = ModbusSequentialDataBlock(1, list(range(COUNT)))
    bits = ModbusSequentialDataBlock(1, [address % 2 == 1 for address in range(COUNT)])
    device = ModbusDeviceContext(di=bits, co=bits, hr=registers, ir=registers)
    context = ModbusServerContext(devices={17: device}, single=False)
    if kind == "tcp":
        await StartAsyncTcpServer(context=context, address=("127.0.0.1", int(where)))
    else:
        await StartAsyncSerialServer(context=context, framer=FramerType.RTU, port=where, baudrate=int(baud))


asyncio.run(serve(*sys.argv[1:]))
